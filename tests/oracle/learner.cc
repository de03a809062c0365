// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/learner.h"

#include <algorithm>
#include <cmath>

namespace dfrs::oracle {
namespace {

constexpr double kTiny = 1e-9;

double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// One step of normalised adaptive gradients, with the letters of Ross, Mineiro and Langford: weights w, scales s, sums
// of squared gradients G, norm N. SC'15's loss, its learning rate and its regularisation.
struct Nag {
  std::vector<double> w, s, G;
  double N = kTiny;
  double t = 1;

  void learn(const std::vector<double>& x, double y, double importance) {
    w.resize(x.size(), 0);
    s.resize(x.size(), kTiny);
    G.resize(x.size(), kTiny);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i]) <= s[i]) continue;
      w[i] = w[i] * s[i] / std::fabs(x[i]);
      s[i] = std::fabs(x[i]);
    }
    for (std::size_t i = 0; i < x.size(); ++i) N += (x[i] / s[i]) * (x[i] / s[i]);
    const double predicted = sum_of_products(w, x);
    double derivative = 0;
    if (predicted > y) derivative = importance * 2 * (predicted - y);
    if (predicted < y) derivative = -importance;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double g = derivative * x[i] + 4e9 * w[i];
      G[i] += g * g;
      w[i] -= 5000 * std::sqrt(t / N) * g / (s[i] * std::sqrt(G[i]));
    }
    t += 2;
  }
};

}  // namespace

PlainLearner::PastJob& PlainLearner::find(const Submission& job) {
  // Slots are used again: the latest job of a slot is meant.
  return *std::find_if(jobs_.rbegin(), jobs_.rend(), [&](const PastJob& past) { return past.what.job == job.job; });
}

Seconds PlainLearner::predict(const Submission& job) {
  std::vector<double> x = features_of(job);
  const std::vector<double> w = weights();
  const double value = w.empty() ? 0 : std::floor(std::fabs(sum_of_products(w, x)));
  jobs_.push_back({.what = job, .features = std::move(x), .start = {}, .run_time = {}});
  return std::min(job.request, std::max(1.0, value));
}

void PlainLearner::started(const Submission& job, Seconds now) { find(job).start = now; }

void PlainLearner::completed(const Submission& job, Seconds run_time, Seconds now) {
  PastJob& past = find(job);
  past.run_time = run_time;
  past.end = now;
  past.place = ends_++;
}

std::vector<const PlainLearner::PastJob*> PlainLearner::ended() const {
  std::vector<const PastJob*> list;
  for (const PastJob& past : jobs_) {
    if (past.run_time) list.push_back(&past);
  }
  std::sort(list.begin(), list.end(), [](const PastJob* a, const PastJob* b) { return a->place < b->place; });
  return list;
}

std::vector<double> PlainLearner::weights() const {
  Nag nag;
  for (const PastJob* past : ended()) {
    const double importance = 1 + std::log(std::max(*past->run_time, 1.0) * past->what.tasks);
    nag.learn(past->features, *past->run_time, importance);
  }
  return nag.w;
}

std::vector<double> PlainLearner::features_of(const Submission& job) const {
  std::vector<const PastJob*> history;  // of the user, latest first
  for (const PastJob* past : ended()) {
    if (past->what.user == job.user) history.insert(history.begin(), past);
  }
  std::vector<double> first;  // the features that are multiplied with each other
  const auto last = [&](std::size_t k) {
    return k < history.size() ? std::min(*history[k]->run_time, job.request) : job.request;
  };
  for (std::size_t k = 0; k < 3; ++k) first.push_back(last(k));
  first.push_back(job.request);
  const double of_two = history.size() < 2 ? last(0) : (last(0) + last(1)) / 2;
  first.push_back(of_two);
  first.push_back(history.size() < 3 ? of_two : (last(0) + last(1) + last(2)) / 3);
  double run_times = 0, tasks = 0;
  for (const PastJob* past : history) {
    run_times += *past->run_time;
    tasks += past->what.tasks;
  }
  const auto count = static_cast<double>(history.size());
  first.push_back(history.empty() ? 0 : run_times / count);
  first.push_back(history.empty() ? 0 : std::max(0.0, job.submit - history.front()->end));
  first.push_back(history.empty() ? 0 : job.tasks * count / tasks);
  double nodes = 0, so_far = 0, running = 0, longest = 0;
  for (const PastJob& past : jobs_) {
    if (past.what.user != job.user || !past.start || past.run_time) continue;
    const double ran = std::max(0.0, job.submit - *past.start);
    nodes += past.what.tasks;
    so_far += ran;
    running += 1;
    longest = std::max(longest, ran);
  }
  first.insert(first.end(), {nodes, so_far, running, longest});
  const double day = std::fmod(job.submit, 86400) / 86400 * 2 * M_PI;
  first.insert(first.end(), {std::cos(day), std::sin(day)});
  const double week = std::fmod(job.submit, 604800) / 604800 * 2 * M_PI;

  std::vector<double> x = first;
  x.insert(x.end(), {std::cos(week), std::sin(week), static_cast<double>(job.tasks)});
  const std::vector<double> alone = x;
  first.push_back(std::cos(week));  // of the week only the cosine is multiplied with the others
  for (std::size_t a = 0; a < first.size(); ++a) {
    for (std::size_t b = a + 1; b < first.size(); ++b) x.push_back(first[a] * first[b]);
  }
  for (const double one : alone) x.push_back(one * one);
  x.push_back(1);
  return x;
}

}  // namespace dfrs::oracle
