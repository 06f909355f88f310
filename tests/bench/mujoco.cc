#include "tests/bench/contender.h"
namespace torqued::bench {
std::vector<Contender> MujocoContenders(const Robot&, Question) { return {}; }
std::vector<Contender> DartContenders(const Robot&, Question) { return {}; }
}
