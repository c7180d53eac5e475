// One instance of one or several jobs, in a process of its own: a Nest application that writes down every run of an
// item, step by step, and what the library logs. Each line is in the file before the program goes on; only a crash of
// the whole machine could lose one. `t` is the machine's monotonic clock in milliseconds, the same for all processes.
import 'reflect-metadata';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { openSync, writeSync } from 'node:fs';
import { ElasticJobHealth, ElasticJobModule, JobBootstraps } from 'nestjs-elasticjob';

const { RUN_LOG, INSTANCE, SERVERS, NAMESPACE, TOTAL = '5', CRON = '* * * * * ?', WORK_MS = '50' } = process.env;
const { SESSION_MS = '6000', GRACE_MS = '30000', JOBS, REG_CENTER } = process.env;

/** Where the registry centre is: `REG_CENTER` as JSON, or a ZooKeeper at `SERVERS`. */
const regCenter = REG_CENTER ? JSON.parse(REG_CENTER) : { serverLists: SERVERS, namespace: NAMESPACE };

/**
 * By job name: its settings, and under `work` how many steps of how many milliseconds its items take, item after item.
 */
const jobs = JOBS
  ? JSON.parse(JOBS)
  : {
      recorded: { cron: CRON, shardingTotalCount: Number(TOTAL), work: { steps: [1], stepMs: Number(WORK_MS) } },
    };

function settingsOf(name) {
  const settings = { elasticJobClass: 'RecordedJob', timeZone: 'GMT', ...jobs[name] };
  delete settings.work;
  return settings;
}

const log = openSync(RUN_LOG, 'a');
const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
function write(entry) {
  writeSync(log, `${JSON.stringify({ instance: INSTANCE, at: Date.now(), t: monotonicMs(), ...entry })}\n`);
}

let runs = 0;

class RecordedJob {
  async execute({ jobName: job, shardingItem: item, scheduledAt, fencingToken, signal }) {
    const run = ++runs;
    const { steps, stepMs } = jobs[job].work;
    write({ event: 'start', run, job, item, scheduledAt: scheduledAt?.getTime(), fencingToken });
    signal.addEventListener('abort', () => write({ event: 'abort', run }), { once: true });
    for (let step = 0; step < steps[item % steps.length]; step++) {
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      if (signal.aborted) return write({ event: 'aborted', run });
      write({ event: 'step', run });
    }
    write({ event: 'end', run });
  }
}

const BEAT_MS = 50;
const STALL_MS = 300;
const parent = process.ppid;

/**
 * Writes down when this process did not get to run: stopped, or starved. The line's time is the end of the event-loop
 * turn in which it woke. Also ends with the process that started it, which may have had no time to say so.
 */
function watch(beat) {
  setTimeout(() => {
    const now = monotonicMs();
    if (now - beat > STALL_MS) setImmediate(() => write({ event: 'stall', from: beat }));
    // Not on waking: asking for the health makes the library look at its clock, which it must do by itself.
    else writePhases();
    if (process.ppid !== parent) process.exit(1);
    watch(now);
  }, BEAT_MS);
}

let health;
let phases = '{}';

/** A job takes part although something keeps it from running. */
function phaseOf(state) {
  return ['impaired', 'blocked', 'disabled'].includes(state) ? 'active' : state;
}

/** Writes the jobs that take part, after each change. */
function writePhases() {
  const jobs = Object.fromEntries(
    Object.entries(health?.report.jobs ?? {}).map(([job, { state }]) => [job, phaseOf(state)]),
  );
  if (JSON.stringify(jobs) === phases) return;
  phases = JSON.stringify(jobs);
  write({ event: 'phases', jobs });
}

/** Into the same file, so that it can be read beside the runs; warnings also to the output. */
const logger = { debug: say('debug'), log: say('log'), warn: say('warn'), error: say('error') };
function say(level) {
  return (message, ...more) => {
    write({ event: 'log', level, message: [message, ...more.filter((each) => typeof each === 'string')].join(' ') });
    if (level !== 'debug') console.log(`${level} ${message}`);
  };
}

class AppModule {}
Module({
  imports: [
    ElasticJobModule.forRoot({
      regCenter: { sessionTimeoutMilliseconds: Number(SESSION_MS), ...regCenter },
      shutdownGracePeriodMilliseconds: Number(GRACE_MS),
      jobs: Object.fromEntries(Object.keys(jobs).map((name) => [name, settingsOf(name)])),
    }),
  ],
  providers: [RecordedJob],
})(AppModule);

watch(monotonicMs());
Logger.overrideLogger(logger);
const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
await app.init();
health = app.get(ElasticJobHealth);
write({ event: 'ready', jobs: app.get(JobBootstraps).names });
console.log('ready');
