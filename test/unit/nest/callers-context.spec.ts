import { runsSeeNoCaller } from '../../support/callers-context.contract.js';

runsSeeNoCaller('in one process', () => undefined);
