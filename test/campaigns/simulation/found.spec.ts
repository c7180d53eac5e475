/** Histories that once showed a fault, of the library or of a rule, and must not show it again. */
import { describe, expect, test } from '@jest/globals';
import { judge } from './oracle.js';
import { play } from './player.js';
import { historyOf } from './storyteller.js';

interface Found {
  readonly rule: string;
  readonly what: string;
  readonly seeds: readonly number[];
}

const FOUND: readonly Found[] = [
  {
    rule: 'triggers',
    what: 'a trigger of a disabled server goes with the item that still runs there to its next owner',
    seeds: [30147045],
  },
  {
    rule: 'begunAfterStop',
    what: 'the commit that begins an unmarked manual run may be on its way when its instance is stopped',
    seeds: [30150022],
  },
  {
    rule: 'unrest',
    what: 'instances that came to different firings end their waits for one another, also without a limit',
    seeds: [30118187],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'nobody waits for an item that its owner drops and that an instance makes up for when it comes back',
    seeds: [30141166],
  },
  {
    rule: 'requests',
    what: 'an instance that loses several sessions in a second may register as often',
    seeds: [30139738],
  },
  {
    rule: 'lostFirings',
    what: 'a firing that ran while nothing was monitored is not called lost by an instance that came later',
    seeds: [
      30101102, 30110541, 30116184, 30117470, 30122703, 30123849, 30131154, 30137135, 30150053, 30150099, 3541857,
      3622659,
    ],
  },
  {
    rule: 'lostFirings',
    what: 'a firing is not called lost because its record is: the registry centre was wiped',
    seeds: [30137724],
  },
  {
    rule: 'triggers',
    what: 'a server that was disabled long ago, or while no other instance was there for a moment, owes no manual run',
    seeds: [3502921, 3520612, 3528241, 910008331, 910009970, 910025994, 730016812, 730024202],
  },
  {
    rule: 'triggers',
    what: 'a trigger whose removal got no answer is run, although one of a single item has come in its place',
    seeds: [20380016484],
  },
  {
    rule: 'missedFirings',
    what: 'an item whose server was disabled for a moment, or that came back to its owner, is run for the instant',
    seeds: [730014559, 730012384, 730031352, 910034531, 910037428],
  },
  {
    rule: 'missedFirings',
    what: 'an item that still runs after it was dropped is not due before it is assigned again',
    seeds: [658],
  },
  {
    rule: 'ownReruns',
    what: 'an instance that has ended a run does not run it again if a peer took it over meanwhile and died',
    seeds: [404, 440],
  },
  {
    rule: 'lostRuns',
    what: 'a takeover of a run that had ended is not lost if the instance that ended it withdraws its report',
    seeds: [404, 440],
  },
  {
    rule: 'tokens',
    what: 'an unmarked item may start late with the token of its firing, if another instance owned it meanwhile',
    seeds: [1026, 5002632],
  },
  {
    rule: 'triggers',
    what: 'an item that was dropped and came back leaves its triggers behind',
    seeds: [5002731],
  },
  {
    rule: 'begunAfterStop',
    what: 'an unmarked item that has begun waits for a listener’s call before it starts',
    seeds: [5000180],
  },
  {
    rule: 'returnedItems',
    what: 'an item that comes back while there is no leader is not run for an instant before that',
    seeds: [5000170],
  },
  {
    rule: 'returnedItems',
    what: 'an item that comes back while an assignment is asked for is not run for an instant before that',
    seeds: [658, 1380],
  },
  {
    rule: 'returnedItems',
    what: 'an item that still runs when it comes back is taken over for the instant of its run',
    seeds: [1438],
  },
  {
    rule: 'lostRuns',
    what: 'an item that still runs when its own instance, as the leader, brings it back is taken over for the instant of its run',
    seeds: [20262006570, 20262007165, 20262008687],
  },
  {
    rule: 'returnedItems',
    what: 'an item that comes back after a frozen process has fired late is not run for an instant before that',
    seeds: [20262012748],
  },
  {
    rule: 'returnedItems',
    what: 'an item that was not configured while there was no instance has only changed hands',
    seeds: [1371],
  },
  {
    rule: 'unmarkedRuns',
    what: 'a mark whose removal has lost its answer is not removed once more from under a peer’s run',
    seeds: [6002299],
  },
  {
    rule: 'unmarkedRuns',
    what: 'a manual firing that began before monitorExecution was switched on has no marks',
    seeds: [730023831],
  },
  {
    rule: 'overlaps',
    what: 'a run that queued for the pool when monitorExecution was switched on has no mark',
    seeds: [293],
  },
  {
    rule: 'unmarkedRuns',
    what: 'an instance that is cut off does not know that monitorExecution was switched on',
    seeds: [4912],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an instance whose clock is behind takes part in a firing that another instance takes for dropped',
    seeds: [182, 1423],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item runs while the number of items is reduced, and raised again',
    seeds: [7000140],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item whose owner has dropped the firing is not run for it by the next owner, after the last call',
    seeds: [2524, 4427, 4897, 6775, 8264, 8720, 5001880, 20261135494, 20261139541],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item that comes to an instance after that has dropped the firing is waited for',
    seeds: [20261145642, 20261148601, 20261149984],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an instance that comes back in a new session does not make up for a firing whose last call was made',
    seeds: [20261138742],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'a crashed item that is one too many by now is waited for, because it may be taken over before it is removed',
    seeds: [20262014238],
  },
  {
    rule: 'quietCalls',
    what: 'an instance that takes over items of two firings does not wait before the second for what the first one keeps',
    seeds: [20262018329],
  },
  {
    rule: 'unrest',
    what: 'no instance waits for an item whose owner has gone on to a later firing',
    seeds: [20261140934],
  },
  {
    rule: 'requests',
    what: 'one instance that runs all items of a large job needs several commits for each firing',
    seeds: [20261140370, 20261140609, 20261125204],
  },
  {
    rule: 'returnedItems',
    what: 'without monitorExecution an instance makes up for a firing with the items that it has then',
    seeds: [20261122143],
  },
  {
    rule: 'earlyItems',
    what: 'an instance whose timeout passes during the first call begins its items when the call has ended',
    seeds: [2777, 4613, 7502],
  },
  {
    rule: 'unorderedCalls',
    what: 'an instance comes to a firing while another one still waits for the first call of the one before',
    seeds: [947, 1109, 1423, 1665, 1726],
  },
  {
    rule: 'unorderedCalls',
    what: 'a firing that waits for a busy instance is dropped when misfire is switched off',
    seeds: [20262001138, 20262011740],
  },
  {
    rule: 'unorderedCalls',
    what: 'the first call of a firing whose only instance died before comes with the takeover',
    seeds: [1703],
  },
  {
    rule: 'unorderedCalls',
    what: 'a firing that comes during a takeover is run before a trigger, if misfire is off',
    seeds: [5000220],
  },
  {
    rule: 'unquietFirings',
    what: 'instances drop every other firing by turns, or wait for an instance that has given up',
    seeds: [943, 1256],
  },
  {
    rule: 'endless',
    what: 'an instance asks without end to make a call while another one makes one',
    seeds: [322],
  },
  {
    rule: 'triggers',
    what: 'a manual firing waits by turns for peers that are in firings of their own',
    seeds: [3049, 6795],
  },
  {
    rule: 'returnedItems',
    what: 'an item is run for an instant of a new cron expression from before that held',
    seeds: [3919],
  },
  {
    rule: 'returnedItems',
    what: 'a leader that is stopping brings items back',
    seeds: [20270019074],
  },
  {
    rule: 'unorderedCalls',
    what: 'a firing does not wait for an earlier one whose crashed item is disabled, and is taken over',
    seeds: [20270084203, 20270155856],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'a firing that was dropped is not made up for when misfire is switched on',
    seeds: [20270115658],
  },
  {
    rule: 'returnedItems',
    what: 'an instance that was cut off makes up for a firing with an item that the assignment before it had left out',
    seeds: [20273000173],
  },
  {
    rule: 'unmarkedRuns',
    what: 'an instance that comes back removes the mark of a peer that has just taken its item over',
    seeds: [20300104568],
  },
  {
    rule: 'earlyItems',
    what: 'an instance that was cut off gives up its wait for the first call, runs its items, and the call is made after that',
    seeds: [20300091072, 20300092491, 20300110882, 20300113249],
  },
  {
    rule: 'endless',
    what: 'an item that the assignment has left out has a misfire mark, and is planned again and again',
    seeds: [20300007265, 20300087903, 20300089646, 20320009607],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item finds a new owner for a firing while the abandoned last call of the firing before is made',
    seeds: [20290004451],
  },
  {
    rule: 'ownReruns',
    what: 'an instance that was cut off forgets that a run ended: failover was switched on, and the mark outlives its session',
    seeds: [20300102905, 20300127034, 20320023230],
  },
  {
    rule: 'earlyItems',
    what: 'the end of a callback whose answer was lost is tried again, and ends the next callback, of a peer',
    seeds: [20300030174],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item came back while its run went on, and that run dies with its instance',
    seeds: [20300023465],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'with misfire off, an instance comes to a firing with a takeover first, and with its own items after that',
    seeds: [20300061690, 20330055959],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an instance reports an item as completed while its mark still stands, and dies',
    seeds: [20300039161],
  },
  {
    rule: 'unorderedCalls',
    what: 'an item with a misfire mark is run for an instant of a new cron expression from before that held',
    seeds: [20300080106],
  },
  {
    rule: 'unorderedCalls',
    what: 'with misfire off, an instance drops a firing while an earlier one still waits for it',
    seeds: [20330073598, 20330077511],
  },
  {
    rule: 'lostRuns',
    what: 'two firings wait for each other: a takeover runs an item of a manual firing and one of a later firing together',
    seeds: [20340095056],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item that was dropped is taken over in its firing, and the last call waits for it',
    seeds: [20370120883],
  },
  {
    rule: 'unmarkedRuns',
    what: 'an instance whose messages are dropped while it connects aborts its runs before its session ends',
    seeds: [20370124603],
  },
  {
    rule: 'unrest',
    what: 'instances in different firings wait for one another in turn, each as long as the listener lets it',
    seeds: [20370015546, 20370114165],
  },
  {
    rule: 'unorderedCalls',
    what: 'an item that was dropped, came back and waits to be taken over is waited for by the firings after its own',
    seeds: [20370227912],
  },
  {
    rule: 'unrest',
    what: 'a manual run that waits for the first assignment keeps no leader from making it',
    seeds: [20370208187],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'an item of a disabled server is not to be taken over, until the server is enabled',
    seeds: [20370264542],
  },
  {
    rule: 'ownReruns',
    what: 'an instance that has ended a run does not run it again if one peer after the other takes it over and dies',
    seeds: [20370319728],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'a firing that the former owner of an item has dropped comes to its next one later, by a clock that is behind',
    seeds: [20370337903],
  },
  {
    rule: 'itemsAfterLastCall',
    what: 'by one clock the item of a late firing has missed a second one by now, and by its owner’s clock it has not',
    seeds: [7700960],
  },
  {
    rule: 'unorderedCalls',
    what: 'items that nobody owned are made up for after a later firing has begun',
    seeds: [20370135738],
  },
  {
    rule: 'missedFirings',
    what: 'a misfire that a peer has noted for an instant still to come here is removed, and its item moves twice',
    seeds: [20370410178],
  },
  {
    rule: 'promptTriggers',
    what: 'an instance gets items that comes back before its leader has the answer to the assignment without it',
    seeds: [771002528],
  },
  {
    rule: 'doubles',
    what: 'a firing that begins while the record of an instance that is gone is taken over stays on record',
    seeds: [540],
  },
  {
    rule: 'lostFirings',
    what: 'a firing that begins while the record of an instance that is gone is taken over is not reported as lost',
    seeds: [236, 368, 544],
  },
];

describe.each(FOUND)('$what', ({ rule, seeds }) => {
  test.each(seeds)('seed %i', async (seed) => {
    const history = historyOf(seed);

    const faults = judge(history, await play(history));

    expect(faults.filter((fault) => fault.rule === rule)).toEqual([]);
  });
});
