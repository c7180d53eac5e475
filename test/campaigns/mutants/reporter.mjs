/** Reports to `npm run mutants` each test as soon as it has failed, files that could not be run, and the end. */
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
