/** Reports failures, printed output, and one line at the end. Passed tests get no line. */
export default class QuietReporter {
  #broken = false;
  #selected;
  #verbose;

  constructor({ testNamePattern, verbose }) {
    // With -t, all other tests count as skipped.
    this.#selected = Boolean(testNamePattern);
    // For a single file, Jest is verbose by itself, and has passed on the printed output.
    this.#verbose = verbose === true;
  }

  onTestResult(_test, result) {
    for (const { type, message, origin } of this.#verbose ? [] : (result.console ?? [])) {
      process.stderr.write(`console.${type} ${origin.trim().split('\n')[0]}\n${message}\n`);
    }
    if (result.failureMessage) process.stderr.write(`\n${result.testFilePath}\n${result.failureMessage}\n`);
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numTotalTestSuites, numRuntimeErrorTestSuites } = results;
    const skipped = this.#selected ? 0 : results.numPendingTests + results.numTodoTests;
    this.#broken = skipped > 0;
    const parts = [
      `${numPassedTests} passed`,
      `${numFailedTests} failed`,
      ...(numRuntimeErrorTestSuites ? [`${numRuntimeErrorTestSuites} files did not run`] : []),
      ...(skipped ? [`${skipped} skipped (not allowed here)`] : []),
      ...(results.snapshot.added ? [`${results.snapshot.added} snapshots written`] : []),
      ...(results.snapshot.filesRemoved + results.snapshot.unchecked ? ['some snapshots are obsolete'] : []),
    ];
    const seconds = ((Date.now() - results.startTime) / 1000).toFixed(1);
    process.stdout.write(`Tests: ${parts.join(', ')} (${numTotalTestSuites} files, ${seconds} s)\n`);
  }

  getLastError() {
    return this.#broken ? new Error('Tests were skipped.') : undefined;
  }
}
