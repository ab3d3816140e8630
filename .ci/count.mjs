// Reads the reports of the test runner for .ci/run. A run that stopped before the tests has left an empty report.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

function filesOf(path) {
  const text = readFileSync(path, 'utf8');
  return text ? JSON.parse(text).testResults : [];
}

function named(file, status) {
  return file.assertionResults
    .filter((test) => test.status === status)
    .map((test) => `${relative('.', file.name)}: ${test.fullName}`);
}

function countTests(firstReport, secondReport, status) {
  const first = filesOf(firstReport);
  const second = new Map(filesOf(secondReport).map((file) => [file.name, file]));
  const files = first.map((file) => second.get(file.name) ?? file);
  for (const file of first.filter(({ name }) => second.has(name))) {
    const stillFails = new Set(named(second.get(file.name), 'failed'));
    for (const test of named(file, 'failed')) {
      if (!stillFails.has(test)) console.log(`failed at first, and passed by itself: ${test}`);
    }
  }

  // A file that could not be loaded has no tests that failed.
  const brokenFiles = files.filter((file) => file.status === 'failed' && named(file, 'failed').length === 0).length;
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const failed = tests.filter((test) => test.status === 'failed').length + brokenFiles;
  const skipped = tests.length - passed - (failed - brokenFiles);
  const stopped = status !== '0' && failed === 0;
  if (stopped) console.log(`check stopped with exit code ${status} outside the tests`);
  console.log(`${passed} passed, ${stopped ? 1 : failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
}

if (process.argv[2] === '--failed') {
  for (const file of filesOf(process.argv[3])) if (file.status === 'failed') console.log(file.name);
} else {
  countTests(...process.argv.slice(2));
}
