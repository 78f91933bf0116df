! test_quire_keys.f90 - module quire: sums by key, segments, running sums, pairs of arrays and integers, compared bit
! for bit with numbers known beforehand, and with sums of the same elements as vectors. Prints TAP.
program test_quire_keys
  use quire
  use, intrinsic :: iso_fortran_env, only: real32, real64, int8, int16, int32, int64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  implicit none
  integer, parameter :: n = 1000, groups = 13
  real(real64), parameter :: huge_one = 1e20_real64, tiny_one = 2.0_real64**(-55)
  real(real64) :: x(n), y(n), table(n, 3), s(groups), t(groups)
  real(real32) :: x4(n), s4(groups)
  integer(int32) :: keys(n), order(n), offsets(groups + 1)
  integer(int64) :: counts(groups), wide_keys(n), wide_order(n), wide_offsets(groups + 1)
  integer :: i, g, code, cases = 0
  logical :: good

  do i = 1, n
    x(i) = (1 - 2 * mod(i, 2)) * 10.0_real64**(mod(7 * i, 23)) / i
    y(i) = 1.0_real64 / (i + mod(5 * i, 17))
    keys(i) = mod(i * i + 3 * i, groups + 3) - 1 ! -1 and 0 and 14 are of no group
    table(i, :) = [x(i), y(i), x(i) * y(i)]
  end do
  x4 = real(x, real32)
  wide_keys = keys
  call by_key()
  call in_order()
  call of_segments()
  call running()
  call of_pairs()
  call integers()
  call running_integers()
  print '("1..", i0)', cases

contains

  subroutine by_key()
    real(real64) :: v(3), rows(groups, 3), columns(3, groups), one(1)
    integer(int64) :: c(3)
    v = 7
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, [huge_one, 4.0_real64, 1.0_real64, -huge_one, 8.0_real64], &
                             [3, 1, 3, 3, 8], v, counts=c, status=code)
    call ok(code == 0 .and. same(v(1), 4.0_real64) .and. same(v(2), 0.0_real64) .and. same(v(3), 1.0_real64) .and. &
            all(c == [1, 0, 3]), 'sums by key, known beforehand')
    good = .true.
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys, s, counts)
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, wide_keys, t)
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x4, keys, s4)
    do g = 1, groups
      good = good .and. same(s(g), quire_sum(pack(x, keys == g))) .and. same(t(g), s(g)) .and. &
             counts(g) == count(keys == g) .and. same4(s4(g), quire_sum(pack(x4, keys == g)))
    end do
    call ok(good .and. sum(counts) < n, 'by keys of 32 and 64 bits, of both kinds of reals')
    good = .true.
    call quire_reduce_by_key(QUIRE_DOT_OPERATION, x, keys, s, y=y)
    call quire_reduce_by_key(QUIRE_VARIANCE_OPERATION, x, keys, t, sample=.true.)
    do g = 1, groups
      good = good .and. same(s(g), quire_dot(pack(x, keys == g), pack(y, keys == g)))
      if (count(keys == g) > 1) good = good .and. same(t(g), quire_variance(pack(x, keys == g), .true.))
    end do
    call ok(good, 'products, and variances of samples')
    good = .true.
    call quire_reduce_by_key(QUIRE_MEAN_OPERATION, table, keys, rows)
    call quire_reduce_by_key(QUIRE_MEAN_OPERATION, transpose(table), keys, columns, dim=2)
    do g = 1, groups
      do i = 1, 3
        good = good .and. same(rows(g, i), columns(i, g))
        if (any(keys == g)) good = good .and. same(rows(g, i), quire_mean(pack(table(:, i), keys == g)))
        if (.not. any(keys == g)) good = good .and. ieee_is_nan(rows(g, i))
      end do
    end do
    call ok(good, 'of rank 2, along both dims')
    s = 5
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys(2:), s, status=code)
    call ok(code == 18 .and. all(abs(s - 5) <= 0), 'too few keys: a status, and nothing written')
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys(2:), s)
    call ok(all(ieee_is_nan(s)), 'without a status: NaN')
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys, s, counts(2:), status=code)
    call quire_reduce_by_key(QUIRE_MEAN_OPERATION, table, keys, rows, dim=3, status=i)
    call ok(code == 18 .and. i == 18, 'too few counts, a dim that is none')
    call quire_reduce_by_key(QUIRE_MEAN_OPERATION, table, keys, rows(:, :2), status=code)
    call quire_reduce_by_key(QUIRE_DOT_OPERATION, x, keys, s, y=y(2:), status=i)
    call ok(code == 18 .and. i == 18, 'too few results, too short a second array')
    call quire_reduce_by_key(QUIRE_DOT_OPERATION, x, keys, s, status=code)
    call quire_reduce_by_key(99, x, keys, s, status=i)
    call ok(code == 20 .and. i == 15, 'no second array, no such operation')
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x(1:0), keys(1:0), one, status=code)
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys, s(1:0), status=i)
    call ok(code == 0 .and. i == 0 .and. same(one(1), 0.0_real64), 'no rows, no groups')
    keys(1) = ibset(0, 31)
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys, s)
    call ok(same(s(5), quire_sum(pack(x, keys == 5))), 'the least key there is')
  end subroutine

  subroutine in_order()
    real(real64) :: rows(groups, 3), columns(3, groups)
    integer(int32) :: back(n)
    call quire_order_by_key(keys, order, offsets, code)
    good = code == 0 .and. offsets(1) == 1 .and. offsets(groups + 1) == count(keys > 0 .and. keys <= groups) + 1
    do g = 1, groups
      good = good .and. all(order(offsets(g):offsets(g + 1) - 1) == pack([(i, i=1, n)], keys == g))
    end do
    good = good .and. all(order(offsets(groups + 1):) == pack([(i, i=1, n)], keys < 1 .or. keys > groups))
    call ok(good, 'an order')
    call quire_order_by_key(wide_keys, wide_order, wide_offsets, code)
    wide_keys(1) = ibset(0_int64, 63)
    call quire_order_by_key(wide_keys, wide_order, wide_offsets, i)
    call ok(code == 0 .and. i == 0 .and. all(wide_order == order) .and. all(wide_offsets == offsets), 'of 64 bits')
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, x, keys, s)
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, offsets, t, order)
    call ok(all(transfer(s, 1_int64, groups) == transfer(t, 1_int64, groups)), 'rows found through it')
    call quire_reduce_gathered(QUIRE_NORM2_OPERATION, table, wide_offsets, rows, wide_order)
    call quire_reduce_gathered(QUIRE_NORM2_OPERATION, transpose(table), wide_offsets, columns, wide_order, dim=2)
    good = .true.
    do g = 1, groups
      do i = 1, 3
        good = good .and. same(rows(g, i), quire_norm2(pack(table(:, i), keys == g))) .and. &
               same(rows(g, i), columns(i, g))
      end do
    end do
    call ok(good, 'of rank 2')
    ! x(1) y(3) + x(3) y(1), where row 0 and row n + 1 are absent; and nothing
    call quire_reduce_gathered(QUIRE_DOT_OPERATION, x, [1, 5, 5], t(:2), [1, 0, 3, 2], y=y, y_order=[3, 1, 1, n + 1])
    call ok(same(t(1), quire_dot(x(1:3:2), y(3:1:-2))) .and. same(t(2), 0.0_real64), 'an order of each array')
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, [1, 6, 4, n + 9], t(:3))
    call ok(same(t(1), quire_sum(x(1:5))) .and. same(t(2), 0.0_real64) .and. same(t(3), quire_sum(x(4:))), &
            'rows themselves')
    t = 5
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, [1, n + 2], t(:1), order, status=code)
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, [0, 3], t(:1), order, status=i)
    call ok(code == 18 .and. i == 18 .and. all(abs(t - 5) <= 0), 'segments beyond the order')
    call quire_reduce_gathered(QUIRE_DOT_OPERATION, x, [1, 5], t(:1), y=y, y_order=[1, 2, 3], status=code)
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, [1, 5], t(:2), status=i)
    call ok(code == 18 .and. i == 18, 'beyond that of y; more results than segments')
    call quire_reduce_gathered(QUIRE_DOT_OPERATION, table, [1, 5], rows(:1, :), y=table(:, :2), status=code)
    call quire_reduce_gathered(QUIRE_SUM_OPERATION, x, [1, 5], t(:1), y=y, sample=.false., status=i)
    call ok(code == 18 .and. i == 0, 'a second array of other columns')
    back = order
    call quire_order_by_key(keys(2:), order, offsets, code)
    call quire_order_by_key(keys, order, offsets(1:0), i)
    call ok(code == 18 .and. i == 18 .and. all(back == order), 'orders that do not fit')
  end subroutine

  subroutine of_segments()
    call quire_reduce_segments(QUIRE_SUM_OPERATION, x, [1, 4, 4, n + 1], s(:3))
    call ok(same(s(1), quire_sum(x(:3))) .and. same(s(2), 0.0_real64) .and. same(s(3), quire_sum(x(4:))), 'segments')
    call quire_reduce_segments(QUIRE_COVARIANCE_OPERATION, x4, [1_int64, 401_int64], s4(:1), y=x4(n:1:-1), &
                               sample=.true.)
    call ok(same4(s4(1), quire_covariance(x4(:400), x4(n:601:-1), .true.)), 'covariances of segments')
    call quire_reduce_segments(QUIRE_SUM_OPERATION, x, [1, n + 2], s(:1), status=code)
    call quire_reduce_segments(QUIRE_SUM_OPERATION, x, [0, 2], s(:1), status=i)
    call ok(code == 18 .and. i == 18, 'segments beyond the array')
    call quire_reduce_segments(QUIRE_SUM_OPERATION, x, [1, 2], s(:2))
    call ok(all(ieee_is_nan(s(:2))), 'more results than segments')
  end subroutine

  subroutine running()
    real(real64) :: r(4), cube(5, 4, 3), along(5, 4, 3), flat(60)
    r = quire_scan([huge_one, 1.0_real64, -huge_one, 1.0_real64])
    call ok(same(r(1), huge_one) .and. same(r(2), huge_one) .and. same(r(3), 1.0_real64) .and. same(r(4), 2.0_real64), &
            'running sums, known beforehand')
    r = quire_scan([0.1_real64, 0.2_real64, -0.3_real64, 9.0_real64], exclusive=.true.)
    call ok(same(r(1), 0.0_real64) .and. same(r(2), 0.1_real64) .and. same(r(4), tiny_one), 'exclusive ones')
    cube = reshape(x(:60), [5, 4, 3])
    flat = reshape(quire_scan(cube), [60])
    good = .true.
    do i = 1, 60
      good = good .and. same(flat(i), quire_sum(x(:i)))
    end do
    call ok(good, 'of all elements in their order')
    along = quire_scan(cube, dim=2)
    good = all(ieee_is_nan(quire_scan(cube, dim=4))) .and. all(ieee_is_nan(quire_scan(cube, dim=0)))
    do i = 1, 4
      good = good .and. same(along(3, i, 2), quire_sum(cube(3, :i, 2))) .and. &
             same(along(5, i, 3), quire_sum(cube(5, :i, 3)))
    end do
    call ok(good, 'along a dim')
    good = all(transfer(quire_scan(cube(:, :, 1), dim=1), 1_int64, 20) == &
               transfer(reshape([(quire_scan(cube(:, i, 1)), i=1, 4)], [5, 4]), 1_int64, 20))
    call ok(good .and. same4(sum(quire_scan(x4(:1), exclusive=.false., dim=1)), x4(1)), 'of rank 2 and 1')
  end subroutine

  subroutine of_pairs()
    type(quire_accumulator) :: a, b, ab, aa, bb
    real(real64) :: m(3)
    call ok(same(quire_average([1e16_real64, 1.0_real64, -1e16_real64], [1.0_real64, 2.0_real64, 1.0_real64]), &
                 0.5_real64), 'an average, known beforehand')
    call ok(same(quire_covariance([1.0_real64, 2.0_real64, 4.0_real64], [1.0_real64, 0.0_real64, 5.0_real64]), &
                 21.0_real64 / 9) .and. &
            same(quire_covariance([1.0_real64, 2.0_real64, 4.0_real64], [1.0_real64, 0.0_real64, 5.0_real64], &
                                  sample=.true.), 21.0_real64 / 6), 'covariances')
    call ok(same(quire_correlation([0.1_real64, 0.2_real64, 0.4_real64], [-0.2_real64, -0.4_real64, -0.8_real64]), &
                 -1.0_real64) .and. ieee_is_nan(quire_correlation(y, y(2:))), 'correlations')
    m = quire_covariance(table, table, dim=1)
    good = same(m(1), quire_variance(x))
    m = quire_average(table, table, dim=1)
    good = good .and. same(m(2), quire_average(y, y))
    m = quire_correlation(table, table, dim=1)
    call ok(good .and. all(abs(m - 1) <= 0), 'along a dim')
    call a%add(x)
    call b%add(y)
    call ab%add_products(x, y)
    call aa%add_products(x, x)
    call bb%add_products(y, y)
    call ok(same(quire_finish_pair(QUIRE_AVERAGE_OPERATION, a, b, ab), quire_average(x, y)) .and. &
            same(quire_finish_pair(QUIRE_COVARIANCE_OPERATION, a, b, ab, sample=.true.), &
                 quire_covariance(x, y, .true.)) .and. &
            same(quire_finish_pair(QUIRE_CORRELATION_OPERATION, a, b, ab, aa, bb), quire_correlation(x, y)), &
            'of accumulators')
    call ok(ieee_is_nan(quire_finish_pair(QUIRE_CORRELATION_OPERATION, a, b, ab)) .and. &
            ieee_is_nan(quire_finish_pair(QUIRE_SUM_OPERATION, a, b, ab)), 'without squares, of no pair')
  end subroutine

  subroutine integers()
    integer(int64) :: total
    integer(int64), parameter :: big = huge(1_int64)
    type(quire_accumulator) :: a
    real(real64) :: two(2)
    call ok(same(quire_sum([big, big, 1_int64]), 2.0_real64**64) .and. &
            same(quire_mean([2_int64**53 + 1, 0_int64, 0_int64]), 3002399751580331.0_real64), 'integers of 64 bits')
    call ok(same(quire_sum([100_int8, 100_int8]), 200.0_real64) .and. same(quire_norm2([300_int16, 400_int16]), &
            500.0_real64) .and. same(quire_dot([2**30, 3], [2**30, 1]), 2.0_real64**60) .and. &
            same(quire_variance([1_int8, 2_int8, 4_int8], .true.), 14.0_real64 / 6) .and. &
            same(quire_covariance([1, 2, 4], [1, 0, 5]), 21.0_real64 / 9), 'others')
    two = quire_sum(reshape([100_int8, 100_int8, -1_int8, -2_int8], [2, 2]), dim=1)
    call ok(same(two(1), 200.0_real64) .and. same(two(2), -3.0_real64), 'along a dim')
    call quire_reduce_by_key(QUIRE_SUM_OPERATION, [big, 5_int64, big], [2, 1, 2], two)
    call ok(same(two(1), 5.0_real64) .and. same(two(2), 2.0_real64**64), 'by key')
    total = 7
    call quire_integer_sum([big, 1_int64], total, code)
    good = code == 24 .and. total == 7
    call quire_integer_sum([-big, -1_int64, -1_int64], total, code)
    good = good .and. code == 24 .and. total == 7
    call quire_integer_sum([big, 1_int64, -1_int64], total, code)
    good = good .and. code == 0 .and. total == big
    call quire_integer_sum([-big, -1_int64], total, code)
    call ok(good .and. code == 0 .and. total + 1 == -big, 'sums that are integers, or none of 64 bits')
    call quire_integer_sum([100_int8, 100_int8], total, code)
    good = total == 200
    call quire_integer_sum([-30000_int16, -30000_int16], total, code)
    good = good .and. total == -60000
    call quire_integer_sum([huge(1), huge(1)], total, code)
    call ok(good .and. total == 2 * int(huge(1), int64), 'of fewer bits')
    call a%add([big, big])
    call a%add([1_int8])
    call a%add([1_int16])
    call a%add([-2])
    call ok(same(a%sum(), 2.0_real64**64) .and. a%count() == 5, 'accumulators of integers')
  end subroutine

  subroutine running_integers()
    integer(int64), parameter :: big = huge(1_int64)
    integer(int64) :: sums(5), odd(500), exact(500)
    integer(int32) :: whole(500)
    integer(int16) :: cube(5, 4, 3)
    real(real64) :: r(3), flat(60), along(5, 4, 3)
    r = quire_scan([big, big, 1_int64])
    call ok(same(r(1), 2.0_real64**63) .and. same(r(2), 2.0_real64**64) .and. same(r(3), 2.0_real64**64), &
            'running sums of integers of 64 bits')
    r = quire_scan([2_int64**53, 1_int64, 2_int64], exclusive=.true.)
    call ok(same(r(1), 0.0_real64) .and. same(r(2), 2.0_real64**53) .and. same(r(3), 2.0_real64**53), 'exclusive ones')
    cube = int(reshape(keys(:60), [5, 4, 3]) * 2000 - 9000, int16)
    flat = reshape(quire_scan(cube), [60])
    along = quire_scan(cube, dim=2)
    good = all(ieee_is_nan(quire_scan(cube, dim=4)))
    do i = 1, 60
      good = good .and. same(flat(i), real(sum(int([cube], int64), mask=[(g <= i, g=1, 60)]), real64))
    end do
    do i = 1, 4
      good = good .and. same(along(5, i, 3), real(sum(int(cube(5, :i, 3), int64)), real64))
    end do
    call ok(good, 'of 16 bits, of all elements and along a dim')
    do i = 1, 500
      whole(i) = merge(huge(1), -i * 1000, mod(i, 3) > 0)
      odd(i) = 2_int64**54 - i * 3
    end do
    call quire_integer_scan(whole, exact, code)
    good = code == 0 .and. all(exact == [(sum(int(whole(:i), int64)), i=1, 500)])
    call quire_integer_scan(odd(::2), exact(::2), code, exclusive=.true.)
    good = good .and. code == 0 .and. exact(2) == sum(int(whole(:2), int64)) .and. &
           all(exact(::2) == [0_int64, (sum(odd(1:2 * i - 1:2)), i=1, 249)])
    call ok(good, 'running sums that are integers')
    call quire_integer_scan([1_int8, -127_int8, -127_int8], sums(:3), code)
    call quire_integer_scan([-big, -1_int64], sums(4:), i)
    call ok(code == 0 .and. i == 0 .and. all(sums(:4) == [1_int64, -126_int64, -253_int64, -big]) .and. &
            sums(5) + 1 == -big, 'of 8 bits, and down to the least')
    sums = 7
    call quire_integer_scan([big, 1_int64, -1_int64], sums(:3), code)
    call quire_integer_scan([1_int16, 2_int16], sums(:3), i)
    call ok(code == 24 .and. i == 18 .and. all(sums == 7), 'one sum that is none of 64 bits; another size')
    call quire_integer_scan(whole(1:0), sums(1:0), code)
    call ok(code == 0, 'of nothing')
  end subroutine

  pure logical function same(found, expected)
    real(real64), intent(in) :: found, expected
    same = transfer(found, 1_int64) == transfer(expected, 1_int64)
  end function

  pure logical function same4(found, expected)
    real(real32), intent(in) :: found, expected
    same4 = transfer(found, 1) == transfer(expected, 1)
  end function

  subroutine ok(condition, name)
    logical, intent(in) :: condition
    character(*), intent(in) :: name
    cases = cases + 1
    if (condition) print '("ok ", i0, " - ", a)', cases, name
    if (.not. condition) print '("not ok ", i0, " - ", a)', cases, name
  end subroutine

end program
