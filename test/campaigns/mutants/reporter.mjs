/** Tells `npm run mutants` of each test as soon as it has failed, of files that could not be run, and of the end. */
export default class MutantReporter {
  onTestCaseResult({ path }, { status, fullName }) {
    if (status === 'failed') tell({ failed: fullName, path });
  }

  onTestFileResult({ path }, { testResults, failureMessage }) {
    if (testResults.length === 0) tell({ unrunnable: failureMessage ?? 'no test', path });
  }

  onRunComplete(_contexts, { numPassedTests }) {
    tell({ passed: numPassedTests });
  }
}

function tell(event) {
  process.stdout.write(`\nMUTANT ${JSON.stringify(event)}\n`);
}
