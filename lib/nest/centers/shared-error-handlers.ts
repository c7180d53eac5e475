import { type JobErrorHandler } from '../../api/extensions/error-handler.js';
import { errorHandlerNamed } from '../definitions/extension-definitions.js';

/**
 * The error handlers for each of several hosts, which close them when they have stopped. A handler is closed by the
 * last one, so that it still delivers the failures of hosts whose items run longer.
 * @param hosts number of hosts
 */
export function closedByLast(handlers: readonly JobErrorHandler[], hosts: number): readonly JobErrorHandler[] {
  return handlers.map((handler) => {
    let open = hosts;
    const close: JobErrorHandler['close'] = () => (--open === 0 ? handler.close?.() : undefined);
    return Object.assign(errorHandlerNamed(handler.type, handler), { close });
  });
}
