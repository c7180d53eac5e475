/** Why a notice was not delivered, in words that show no secret if they are redacted. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** @param prospect whether another attempt may succeed */
  constructor(
    message: string,
    readonly prospect: 'transient' | 'final',
  ) {
    super(message);
  }
}
