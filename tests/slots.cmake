# scripts/test starts as many tests at a time as fill 2 x cores + 1 slots. A test that is busy takes two slots: no more than cores and a half of them run at once,
# so that their deadlines hold. Short ones, and consumers that mostly wait for daemons (a line `# waits: REASON` in the script), take one.
get_property(all DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all)
  if(test MATCHES "^(golden|compile_fail|house|docs|fuzz|what_if|bench-smoke)\\.")
    continue()
  elseif(test MATCHES "^consumer\\.([^.]+)")
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${CMAKE_MATCH_1}.sh waits REGEX "^# waits: " LIMIT_COUNT 1)
    if(waits)
      continue()
    endif()
  endif()
  set_tests_properties(${test} PROPERTIES PROCESSORS 2)
endforeach()
