import { describeFailure } from '../api/text/describe-cause.js';
import { withoutSecrets } from '../api/text/secrets.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Invocation } from './invocation.js';
import { printableLines } from './terminal/text.js';

/**
 * Reports the failure of a command on the error stream: a sentence for people, JSON for programs.
 * @returns its exit code
 */
export function reportFailure(error: unknown, invocation: Invocation): ExitCode {
  const { surroundings, opened, output } = invocation;
  const exitCode = exitCodeOf(error);
  const message = withoutSecrets(messageOf(error, { exitCode, registry: opened }));
  const { err } = surroundings.terminal;
  if (output.isJson) {
    const { code = null } = error as { readonly code?: unknown };
    err.write(`${JSON.stringify({ error: { code, exitCode, message } })}\n`);
  } else {
    err.write(`elasticjob: ${printableLines(message)}\n`);
  }
  return exitCode;
}

function messageOf(
  error: unknown,
  { exitCode, registry }: { readonly exitCode: ExitCode; readonly registry: RegistryCenter | undefined },
): string {
  // Not one of our errors: a report of this fault needs the whole stack.
  if (exitCode === EXIT.failed) return describeFailure(error);
  const { message } = error as Error;
  switch (exitCode) {
    case EXIT.unreachable:
    case EXIT.unknownOutcome:
      return registry === undefined ? message : `${message} ${connectionOf(registry)}`;
    case EXIT.refused:
      return message.includes(' Check regCenter.digest')
        ? `${message.replace(/ Check regCenter\.digest[^]*$/, '')} ${CREDENTIALS}`
        : message.replace(', and start the application again', '');
    default:
      return message;
  }
}

const CREDENTIALS =
  'Give those of the namespace: ELASTICJOB_REGCENTER_DIGEST or --digest-file, or for SASL ELASTICJOB_REGCENTER_SASL_USERNAME and ' +
  'ELASTICJOB_REGCENTER_SASL_PASSWORD or --sasl-username and --sasl-password-file.';

function connectionOf({ description, session }: RegistryCenter): string {
  return session.reason === undefined ? `It is ${description}.` : `It is ${description}: ${session.reason}.`;
}
