// SPDX-License-Identifier: GPL-2.0-or-later
// What hosts may set about policies. Each family of policies has a plain struct of options in its own folder; the core
// only hands them through, by their type.
#pragma once

#include <any>
#include <list>

namespace dfrs {

class LpSolver;

class EngineOptions {
 public:
  /// The options of that type: defaults until they are set. References stay valid as long as this object lives.
  template <class T>
  const T& of() const {
    if (const T* set = find<T>(sets_)) return *set;
    static const T defaults;
    return defaults;
  }
  template <class T>
  T& of() {
    if (T* set = find<T>(sets_)) return *set;
    return *std::any_cast<T>(&sets_.emplace_back(T()));
  }

  /// For policies with PolicyTraits::needs_lp_solver. Lent by the host, must outlive the engine. Part of the host
  /// rather than a setting: it is neither compared nor recorded.
  LpSolver* lp_solver = nullptr;

 private:
  template <class T, class Sets>
  static auto find(Sets& sets) -> decltype(std::any_cast<T>(&sets.front())) {
    for (auto& one : sets) {
      if (auto* set = std::any_cast<T>(&one)) return set;
    }
    return nullptr;
  }

  std::list<std::any> sets_;  // few, each of another type
};

}  // namespace dfrs
