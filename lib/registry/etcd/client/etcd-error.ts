/** The status codes of gRPC. */
export const Status = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** With these codes etcd answers before it has proposed anything to its cluster. */
const WITHOUT_EFFECT: readonly number[] = [
  Status.invalidArgument,
  Status.notFound,
  Status.alreadyExists,
  Status.permissionDenied,
  Status.resourceExhausted,
  Status.failedPrecondition,
  Status.outOfRange,
  Status.unimplemented,
  Status.unauthenticated,
];

/** A call that etcd did not carry out, or whose answer did not arrive. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';

  constructor(
    /** A status code of gRPC. */
    readonly status: number,
    /** The server's text, or the reason why there is no answer. */
    readonly details: string,
    options?: { readonly cause?: unknown },
  ) {
    super(details, options);
  }

  /** True if the server has answered that it did nothing. Otherwise the call may have had its effect. */
  get isAnswer(): boolean {
    return WITHOUT_EFFECT.includes(this.status);
  }

  /** True if our token has expired, or the server has forgotten it: a new one is needed. */
  get isTokenStale(): boolean {
    const isOld = this.status === Status.invalidArgument && this.details.includes('revision of auth store is old');
    return this.status === Status.unauthenticated || isOld;
  }

  /** True if the server refuses these credentials, or demands some, or does not grant their request. */
  get isAboutCredentials(): boolean {
    const isRefusal = /authentication failed|user name (is )?(empty|not found)/.test(this.details);
    return this.status === Status.permissionDenied || (this.status === Status.invalidArgument && isRefusal);
  }

  /** True if the lease has ended. */
  get isLeaseOver(): boolean {
    return this.status === Status.notFound && this.details.includes('lease not found');
  }
}

/**
 * The reason for which a connection was not made, or broke, for people: `ECONNREFUSED`, `no answer within 5000 ms`.
 * gRPC wraps the reason in a sentence of its own.
 */
export function connectionProblem(error: unknown): string {
  const text = error instanceof EtcdError ? error.details : error instanceof Error ? error.message : String(error);
  const last = /Last error: (.*?)(?:\. Resolution note:.*)?$/s.exec(text)?.[1] ?? text;
  // gRPC adds the time of day, which would make a new problem of each attempt.
  if (/^Failed to connect(?: \(|$)/.test(last))
    return 'the server ends the connection at once, as one does that is no etcd';
  const [, code] = /\b(E[A-Z]{4,}|ERR_[A-Z_]+)\b/.exec(last) ?? [];
  return code ?? last.replace(/^Error: /, '').replace(/\.$/, '');
}
