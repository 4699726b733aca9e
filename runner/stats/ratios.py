"""The interval of a ratio of two means, from the interval of each."""

import math

Interval = tuple[float, float, float]


def ratio_interval(one: Interval, other: Interval) -> tuple[float, float]:
    """Both ends of the interval of one / other, each given as (value, low, high), none below 0, other over 0.

    The method of variance estimates recovery (MOVER-R, Donner and Zou 2012, "Closed-form confidence intervals for
    functions of the normal mean and standard deviation"): it takes on the asymmetry of the two intervals, at their
    level. It is exact in coverage for independent means and too wide, never too narrow, for such as rise together,
    as those of a slice and of all queries do. The upper end is infinite where the other mean may be 0.
    """
    (value, low, high), (by, by_low, by_high) = one, other
    product = value * by
    # low (2 value - low) is value^2 - (value - low)^2, so that no root below is of a negative number.
    under, over = low * (2 * value - low), high * (2 * value - high)
    by_under, by_over = by_low * (2 * by - by_low), by_high * (2 * by - by_high)
    # The published lower end, (product - root) / by_over, times its conjugate: by_over may be 0.
    below = product + math.sqrt(max(product**2 - under * by_over, 0.0))
    least = under / below if below > 0 else 0.0
    most = (product + math.sqrt(max(product**2 - over * by_under, 0.0))) / by_under if by_under > 0 else math.inf
    # A root of rounding noise may lead past the ratio itself.
    return min(least, value / by), max(most, value / by)
