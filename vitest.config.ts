import { defineConfig } from 'vitest/config';

// Set by .ci/run, which counts the tests from this file.
const report = process.env['CADRE_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks', // open files, watches and the pid belong to a process: tests that run at the same time have one each
    maxWorkers: 2, // most tests wait for processes and browsers, so two at a time take two thirds of the time on two cores
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } }, // its own is 1 s, which a busy machine may need for a step of a browser
    ...(report ? { reporters: ['default', 'json'], outputFile: { json: report } } : {}),
  },
});
