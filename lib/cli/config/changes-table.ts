import { type SettingChange } from '../../operations/changes/setting-changes.js';
import { type Column } from '../terminal/table.js';

/** The columns of a list of changed settings. */
export function changeColumns(before: string, after: string): readonly Column<SettingChange>[] {
  return [
    { title: 'SETTING', text: ({ setting }) => setting },
    { title: before, text: ({ before: text = '-' }) => text, tone: () => 'bad' },
    { title: after, text: ({ after: text = '-' }) => text, tone: () => 'good' },
  ];
}
