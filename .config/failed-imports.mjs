/**
 * Vitest's reporter for `npm run mutation`: a test file that cannot even be imported counts as one failed test.
 *
 * Stryker asks Vitest for tests that failed. A mutant that throws while its module is loaded leaves the file without
 * any test, so Stryker would report that it survived.
 */
export default {
  onTestRunEnd(modules) {
    for (const { task: file } of modules) {
      if (file.result?.state === 'fail' && file.tasks.length === 0) file.tasks.push(failedTestIn(file));
    }
  },
};

function failedTestIn(file) {
  return {
    id: `${file.id}_import`,
    type: 'test',
    name: 'the test file can be imported',
    mode: 'run',
    file,
    result: { state: 'fail', errors: file.result.errors },
  };
}
