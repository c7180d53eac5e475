import { REGISTRIES } from './registries.js';
import { newNamespace } from './registry-kind.js';
import { runsSeeNoCaller } from '../support/callers-context.contract.js';

for (const kind of REGISTRIES) {
  const server = kind.shared();
  runsSeeNoCaller(`on ${kind.name}`, () => server.regCenter({ namespace: newNamespace() }));
}
