# Label `fast`, for daily work: what together takes under a minute on two cores. Measured on one core of the machine that CI has: a golden case 0.12 s,
# house 14 s, compile_fail 4 s in all. Of the golden cases those at a limit and those where a rule stays silent are left to the whole run (40 %).
# golden.fixes (9 s) and the unit tests of the two slow rooms are left to it, too; those of all other rooms take 5 s.
set(slow_rooms validators compile)
get_property(all DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all)
  set(fast OFF)
  if(test MATCHES "^(house|compile_fail)\\." OR test STREQUAL "docs.generated")
    set(fast ON)
  elseif(test MATCHES "^golden\\..+/" AND NOT test MATCHES "-(silent|at-limit)$")
    set(fast ON)
  elseif(test MATCHES "^unit\\.(.*)$" AND NOT CMAKE_MATCH_1 IN_LIST slow_rooms)
    set(fast ON)
  endif()
  if(fast)
    set_property(TEST ${test} APPEND PROPERTY LABELS fast)
  endif()
endforeach()
