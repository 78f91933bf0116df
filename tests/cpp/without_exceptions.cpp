/* quire.hpp in a program without exceptions. Compiling is the test. */
#include <quire/accumulators.hpp> /* on its own, too */
#include <quire/quire.hpp>
#include <quire/vectors.hpp>

float header_hpp_without_exceptions(const float *x, std::size_t n, quire_status &status);

float header_hpp_without_exceptions(const float *x, std::size_t n, quire_status &status) {
    return quire::sum(quire::span(x, n), status) + quire::accumulator().add(quire::span(x, n), status).sum<float>() +
           quire::covariance(quire::span(x, n), quire::span(x, n), status);
}
