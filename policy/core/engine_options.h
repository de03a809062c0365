// SPDX-License-Identifier: GPL-2.0-or-later
// The options that hosts may set for policies. Each family has a plain struct of options in its own folder; the core
// passes them on by type without knowing them.
#pragma once

#include <any>
#include <list>

namespace dfrs {

class EngineOptions {
 public:
  /// The options of type T; defaults until they are set. References stay valid as long as this object lives.
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

 private:
  template <class T, class Sets>
  static auto find(Sets& sets) -> decltype(std::any_cast<T>(&sets.front())) {
    for (auto& one : sets) {
      if (auto* set = std::any_cast<T>(&one)) return set;
    }
    return nullptr;
  }

  std::list<std::any> sets_;  // few, of different types; a list keeps references valid
};

}  // namespace dfrs
