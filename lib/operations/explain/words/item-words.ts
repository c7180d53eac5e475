import { type ItemCause } from '../explanation.js';
import { commandLine } from '../../command-line.js';
import { at, be, by, type Cure, cure, have, lower, type Scene, words, type WordsOf } from './words.js';

/** Sentences about causes that concern single items. */
export const ITEM_WORDS: WordsOf<ItemCause> = {
  'no-such-item': ({ shardingTotalCount }, scene) =>
    words(
      `${scene.subject} ${scene.isOne ? 'is not an item' : 'are not items'} of ${lower(scene.job)}, which has the items 0 to ${shardingTotalCount - 1}.`,
      cure('raise-or-ask', `Ask about another item, or raise shardingTotalCount in ${scene.path('config')}.`),
    ),
  'left-out': (_, scene) =>
    words(
      `${scene.subject} ${be(scene)} not part of the ${scene.isPast ? 'assignment at that time' : 'present assignment'}: the number of items was changed.`,
      scene.isPast
        ? undefined
        : cure('assigned-soon', 'The leader assigns the new items within moments; if this lasts, its log says why.'),
    ),
  'item-disabled': ({ record }, scene) =>
    words(
      `${scene.subject} ${be(scene)} disabled${by(record)}.`,
      cure(
        'enable-item',
        `Enable ${scene.isOne ? 'it' : 'them'}: ${itemCommand(scene)}${scene.isOne ? '' : ' and so on'}, ShardingOperateAPI.enable(), or delete the node disabled below ${scene.path('sharding')}.`,
        itemCommand(scene),
      ),
    ),
  'still-running': ({ instanceId, since, missed, isScript }, scene) =>
    words(
      `${scene.subject} ${be(scene)} still running${instanceId === undefined ? '' : ` on ${instanceId}`}${since === undefined ? '' : ` since ${at(since)}`}; firings during the run are ${missed === 'dropped' ? 'dropped, as misfire is off' : 'made up for by one run afterwards (misfire)'}.`,
      cure(
        isScript ? 'lasting-script' : 'lasting-run',
        `If it should have ended, look at the log of that instance${isScript ? ', which says so if the script has exited and a process that it has started holds its output' : ''}; a timeout (timeoutMilliseconds) ends such runs, and shutting the instance down aborts them.`,
      ),
    ),
  'run-lost': ({ instanceId, failover }, scene) =>
    words(
      `The run of ${lower(scene.subject)} died with its instance${instanceId === undefined ? '' : ` ${instanceId}`}; ${failover ? 'it waits to be taken over by an idle instance' : 'failover is off, so its mark is removed and it runs at the next instant'}.`,
      failover
        ? cure(
            'await-takeover',
            'If this lasts, no instance is idle, or none is enabled: add an instance, or enable a server.',
          )
        : cure('failover-on', 'Switch failover on if another instance shall run it again at once.'),
    ),
  'taken-over': ({ by: id }, scene) =>
    words(
      `${scene.subject} ${scene.isOne ? 'is' : 'are'} taken over by ${id} after a crash, and not begun again before that run has ended.`,
      undefined,
    ),
  'no-owner': ({ isStatic }, scene) =>
    words(
      `${scene.subject} ${have(scene)} no owner, so no instance runs ${scene.isOne ? 'it' : 'them'}.`,
      isStatic
        ? staticCure(scene.path('config'))
        : cure('leader-log', "The leader assigns items; if this lasts, the leader's log says what keeps it from that."),
    ),
  'owner-gone': ({ instanceId, how, isStatic }, scene) =>
    words(
      `The owner of ${lower(scene.subject)}, ${instanceId}, ${GONE[how]}.`,
      isStatic
        ? staticCure(scene.path('config'))
        : cure('assigned-soon', 'The leader assigns the items again within moments; if this lasts, its log says why.'),
    ),
  'owner-stopping': ({ instanceId }, scene) =>
    words(
      `The owner of ${lower(scene.subject)}, ${instanceId}, is stopping: it finishes its running items and begins none.`,
      cure('add-instance', 'Its items go to other instances when it has ended; start one if there is none.'),
    ),
  'owner-unreadable': ({ instanceId }, scene) =>
    words(
      `The node of ${instanceId}, the owner of ${lower(scene.subject)}, cannot be read, so it is given no items.`,
      cure(
        'restart-instance',
        `An old console may have overwritten it below ${scene.path('instances')}: restart that instance.`,
      ),
    ),
  'owner-disabled': ({ instanceId, server, status }, scene) =>
    words(
      `The owner of ${lower(scene.subject)}, ${instanceId}, ${scene.isPast ? 'was' : 'is'} on the server ${server.serverIp}, ${STATUS[status]}${by(server.record)}.`,
      cure(
        'enable-server',
        `Enable the server: ${commandLine('enable', scene.jobName, '--server', server.serverIp)}, JobOperateAPI.enable(), or write ENABLED to ${scene.path('servers')}/${server.serverIp}.`,
        commandLine('enable', scene.jobName, '--server', server.serverIp),
      ),
    ),
  misfired: (_, scene) =>
    words(
      `${scene.subject} ${have(scene)} missed a firing, which one run makes up for as soon as nothing keeps it.`,
      undefined,
    ),
  'manual-run-due': (_, scene) =>
    words(
      `${scene.subject} ${have(scene)} been triggered, and ${be(scene)} run for that as soon as nothing keeps ${scene.isOne ? 'it' : 'them'}.`,
      undefined,
    ),
  triggered: ({ instanceId }, scene) =>
    words(
      `${instanceId}, the owner of ${lower(scene.subject)}, has a trigger that it has not accepted yet.`,
      cure(
        'accepts-soon',
        'It accepts it within moments; if this lasts, its process is frozen or cut off: look at its log.',
      ),
    ),
  free: ({ next }, scene) =>
    words(
      `Nothing keeps ${lower(scene.subject)} from running${next === undefined ? '' : `; the next instant is ${at(next)}`}.`,
      undefined,
    ),
};

const staticCure = (path: string): Cure =>
  cure('end-static-sharding', `Set staticSharding to false in ${path} until the items are assigned again.`);

const itemCommand = ({ jobName, items }: Scene): string =>
  commandLine('enable', jobName, '--item', String(items[0] ?? 0));

const GONE = {
  stopped: 'has stopped',
  died: 'has died: its session has ended',
  unknown: 'is gone',
} as const;

const STATUS = {
  DISABLED: 'which is disabled',
  UNKNOWN: 'whose node is neither ENABLED nor DISABLED, which counts as disabled',
  MISSING: 'which has no node, and so counts as disabled until the instance registers it again',
} as const;
