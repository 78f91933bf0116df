// c++ -std=c++17 sum.cpp -o sum-cpp $(pkg-config --cflags --libs quire) && ./sum-cpp
//
// Ranges, options, statuses and accumulators, from C++.
#include <quire/quire.hpp>

#include <cstdio>
#include <vector>

int main() {
    const std::vector<float> x = { 1e20f, 1.0f, -1e20f, 1.0f };
    std::printf("sum %g, mean %g, variance of the first two %g\n", quire::sum(x), quire::mean<double>(x),
                quire::variance<double>(quire::span(x.data(), 2), quire::options().correction(1)));
    std::printf("between %.9g and %.9g\n", quire::sum<float>({ 0.1, 0.2 }, QUIRE_DOWNWARD),
                quire::sum<float>({ 0.1, 0.2 }, QUIRE_UPWARD));

    quire::accumulator total; // exact, in any number of parts
    total.add(x);
    total += 0x1p-60;
    std::printf("%a\n", total.sum());

    quire_status status;
    quire::dot(x, std::vector<float>(3), status); // a status instead of an exception
    std::printf("%s\n", quire_status_string(status));
    return quire::sum(x) == 2.0f && total.sum() == 2.0 && status == QUIRE_INVALID_LAYOUT ? 0 : 1;
}
