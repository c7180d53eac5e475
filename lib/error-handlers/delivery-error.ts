/** The reason why a notice was not delivered; the message shows no secret after `redacted()`. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** @param prospect says if another attempt may succeed */
  constructor(
    message: string,
    readonly prospect: 'transient' | 'final',
  ) {
    super(message);
  }
}
