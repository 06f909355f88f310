#include "client/cli/mistakes.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

#include "client/cli/numbers.h"

namespace torqued::cli {
namespace {

// Tensor components about the centre of mass, in the order xx xy xz yy yz zz.
using Tensor = std::array<double, 6>;

struct Writing {
  const char* words;
  std::array<int, 6> order;  // which of xx xy xz yy yz zz stands at each place
};
constexpr std::array<Writing, 4> kWritings = {{{"xx xy xz yy yz zz", {0, 1, 2, 3, 4, 5}},
                                               {"xx yy zz xy xz yz", {0, 3, 5, 1, 2, 4}},
                                               {"xx yy zz xy yz xz", {0, 3, 5, 1, 4, 2}},
                                               {"xx xy yy xz yz zz", {0, 1, 3, 2, 4, 5}}}};

Tensor Read(const Tensor& tensor, const Writing& written, const Writing& read) {
  Tensor result{};
  for (size_t i = 0; i < 6; ++i)
    result[static_cast<size_t>(read.order[i])] = tensor[static_cast<size_t>(written.order[i])];
  return result;
}

// m (c.c 1 - c c^T) of one link's ten parameters, in the tensor's order.
Tensor ParallelAxis(const double* p) {
  if (p[0] <= 0) return {};
  const double x = p[1], y = p[2], z = p[3], m = p[0];
  return {(y * y + z * z) / m, -x * y / m, -x * z / m,
          (x * x + z * z) / m, -y * z / m, (x * x + y * y) / m};
}

constexpr std::array<int, 6> kPlaceInParameters = {4, 5, 7, 6, 8, 9};  // of xx xy xz yy yz zz

std::vector<int> Swapped(std::vector<int> order, size_t i, size_t j) {
  std::swap(order[i], order[j]);
  return order;
}

}  // namespace

std::vector<Order> Orders(const LogModel& model) {
  const int n = static_cast<int>(model.names.size());
  std::vector<int> own(static_cast<size_t>(n)), free;
  std::iota(own.begin(), own.end(), 0);
  for (int i = 0; i < n; ++i)
    if (model.permutable[static_cast<size_t>(i)]) free.push_back(i);
  const size_t m = free.size();
  // A permutation of the free columns only, given as a list of them.
  const auto full = [&](const std::vector<int>& of_free) {
    std::vector<int> order = own;
    for (size_t i = 0; i < m; ++i) order[static_cast<size_t>(free[i])] = of_free[i];
    return order;
  };
  std::vector<std::pair<std::string, std::vector<int>>> found;
  const auto add = [&](const std::string& words, const std::vector<int>& order) {
    const auto same = [&order](const auto& other) { return other.second == order; };
    if (order != own && std::none_of(found.begin(), found.end(), same))
      found.emplace_back(words, order);
  };
  std::vector<int> sorted = free;
  std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) {
    return model.names[static_cast<size_t>(a)] < model.names[static_cast<size_t>(b)];
  });
  add("alphabetical order", full(sorted));
  // The other way round: what is labelled alphabetically is in the model's order.
  std::vector<int> inverse = own;
  for (int i = 0; i < n; ++i)
    inverse[static_cast<size_t>(full(sorted)[static_cast<size_t>(i)])] = i;
  add("the inverse of alphabetical order", inverse);
  std::vector<int> reversed(free.rbegin(), free.rend());
  add("reverse order", full(reversed));
  constexpr size_t kManyJoints = 8;  // beyond, exchanges of two would be too many states
  if (m >= 2 && m <= kManyJoints) {
    for (size_t i = 0; i < m; ++i)
      for (size_t j = i + 1; j < m; ++j)
        add(absl::StrCat(model.names[static_cast<size_t>(free[i])], " and ",
                         model.names[static_cast<size_t>(free[j])], " exchanged"),
            full(Swapped(free, i, j)));
    std::vector<int> turned = free;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    add("each joint's column in the place before", full(turned));
    std::rotate(turned.rbegin(), turned.rbegin() + 2, turned.rend());
    add("each joint's column in the place after", full(turned));
  }
  std::vector<Order> orders = {{"", own, false}};
  for (const auto& [words, order] : found) {
    orders.push_back({"joints in another order: " + words, order, false});
    orders.push_back({"only the torques in another order: " + words, order, true});
  }
  return orders;
}

std::vector<Angles> AngleMistakes() {
  constexpr double kDegree = std::numbers::pi / 180;
  return {{"", 1, 1},
          {"positions, velocities and accelerations are in degrees", kDegree, kDegree},
          {"positions are in degrees (velocities and accelerations are not)", kDegree, 1},
          {"velocities and accelerations are in degrees (positions are not)", 1, kDegree},
          {"positions, velocities and accelerations were turned from degrees to radians twice",
           1 / kDegree, 1 / kDegree}};
}

std::vector<Gravity> Gravities(const Eigen::Vector3d& own) {
  const double size = own.norm() > 0 ? own.norm() : 9.81;
  const Eigen::Vector3d direction =
      own.norm() > 0 ? Eigen::Vector3d(own / own.norm()) : Eigen::Vector3d(0, 0, -1);
  std::vector<Gravity> list = {{"", own}};
  const auto add = [&list](const std::string& words, const Eigen::Vector3d& value) {
    const auto same = [&value](const Gravity& other) {
      return (other.value - value).norm() < 1e-9;
    };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back({words, value, false});
  };
  add("gravity has the opposite sign", -own);
  add("without gravity", Eigen::Vector3d::Zero());
  for (const double value : {9.81, 9.80665, 9.8, 10.0})
    add(absl::StrCat("gravity is ", Shortest(value), " m/s^2"), value * direction);
  static constexpr std::array kAxes = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0})
      add(absl::StrCat("gravity points along ", sign < 0 ? "-" : "+",
                       kAxes[static_cast<size_t>(axis)]),
          sign * size * Eigen::Vector3d::Unit(axis));
  list.push_back({"gravity is another vector", own, true});
  return list;
}

InertiaMistakes Inertias(const Eigen::VectorXd& own) {
  InertiaMistakes result;
  result.references = {
      "", "inertias about the centre of mass were taken as about the link frame's origin",
      "inertias about the link frame's origin were taken as about the centre of mass "
      "(parallel-axis term twice)"};
  result.components = {""};
  std::vector<std::pair<const Writing*, const Writing*>> readings;
  for (const Writing& written : kWritings)
    for (const Writing& read : kWritings) {
      if (&written == &read) continue;
      readings.emplace_back(&written, &read);
      result.components.push_back(
          absl::StrCat("inertias written as ", written.words, " were read as ", read.words));
    }
  result.components.push_back("products of inertia have the opposite sign");

  const Eigen::Index links = own.size() / 10;
  for (size_t reference = 0; reference < result.references.size(); ++reference) {
    result.parameters.emplace_back(result.components.size(), own);
    for (size_t component = 0; component < result.components.size(); ++component)
      for (Eigen::Index link = 0; link < links; ++link) {
        double* p = result.parameters[reference][component].data() + 10 * link;
        const Tensor shift = ParallelAxis(p);
        Tensor tensor;
        for (size_t i = 0; i < 6; ++i) tensor[i] = p[kPlaceInParameters[i]] - shift[i];
        if (component > 0 && component <= readings.size())
          tensor = Read(tensor, *readings[component - 1].first, *readings[component - 1].second);
        if (component > readings.size())
          for (const size_t product : {1, 2, 4}) tensor[product] = -tensor[product];
        const double factor = reference == 0 ? 1 : reference == 1 ? 0 : 2;
        for (size_t i = 0; i < 6; ++i) p[kPlaceInParameters[i]] = tensor[i] + factor * shift[i];
      }
  }
  return result;
}

}  // namespace torqued::cli
