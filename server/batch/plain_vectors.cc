// The vectors of plain types that the instruction sets' objects use, made here with ordinary flags (kernel_loops.h).
#include <vector>

#include "server/core/spatial/mass_properties.h"

template class std::vector<int>;
template class std::vector<torqued::BodyInertia>;
