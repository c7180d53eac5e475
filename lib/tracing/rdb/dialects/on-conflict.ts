import { insertValues, type Writing } from '../dialect.js';

/** `INSERT … ON CONFLICT`, as PostgreSQL and SQLite have it. */
export const onConflict: Writing = {
  type: 'upsert',
  upsert(target, rows, bind, onDuplicate) {
    const assignments = target.completion.map((column) => `${column} = EXCLUDED.${column}`);
    const action = onDuplicate === 'keep' ? 'DO NOTHING' : `DO UPDATE SET ${assignments.join(', ')}`;
    return `${insertValues(target, rows, bind)} ON CONFLICT (${target.id}) ${action}`;
  },
};
