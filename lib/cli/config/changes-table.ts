import { withoutSecrets } from '../../api/text/masks.js';
import { type SettingChange } from '../../operations/setting-changes.js';
import { type Column } from '../terminal/table.js';

/** The columns of a list of changed settings. */
export function changeColumns(before: string, after: string): readonly Column<SettingChange>[] {
  return [
    { title: 'SETTING', text: ({ setting }) => setting },
    { title: before, text: (change) => withoutSecrets(change.before ?? '-'), tone: () => 'bad' },
    { title: after, text: (change) => withoutSecrets(change.after ?? '-'), tone: () => 'good' },
  ];
}
