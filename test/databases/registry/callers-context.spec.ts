import { newNamespace } from '../../registries/registry-kind.js';
import { runsSeeNoCaller } from '../../support/callers-context.contract.js';
import { postgresql } from '../support/postgresql-kind.js';

const server = postgresql.shared();

runsSeeNoCaller('on PostgreSQL', () => server.regCenter({ namespace: newNamespace() }));
