import { wording } from '../../../wording/wording.js';
import { triggerItemsProblem } from '../../../layout/x-node/trigger.js';
import { Body, Controller, Delete, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  type BatchAnswer,
  type BatchRequest,
  type RemoveRequest,
  type ServerAction,
  type TriggerAnswer,
  type TriggerRequest,
} from '../../contract/jobs.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { type ActionTarget, JobActions } from '../../services/jobs/job-actions.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { Acting, type QueryOf } from './parameters.js';
import {
  anyText,
  badField,
  bodyOf,
  flag,
  integer,
  oneOf,
  optional,
  queryText,
  readFields,
  readQuery,
} from '../requests.js';

const REMOVE = { confirm: anyText, living: optional(flag) };

/** A body with the reason of an action. */
interface Reasoned {
  readonly reason?: string;
}

/** Actions on jobs. */
@Controller('api/v1/registries/:registry/jobs')
export class JobActionsController {
  constructor(@Inject(JobActions) private readonly actions: JobActions) {}

  /** Enables, disables or triggers several jobs. Each has its own result. */
  @Post('batch')
  @HttpCode(200)
  @Permit('operate')
  batch(@Acting() action: ConsoleAction, @Body() body: BatchRequest): Promise<BatchAnswer> {
    const { action: what, names } = bodyOf<BatchRequest>(body);
    if (what !== 'enable' && what !== 'disable' && what !== 'trigger') throw badField('action', wording('action'));
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
      throw badField('names', wording('job-names'));
    return this.actions.batch(action, {
      action: what,
      names: [...new Set(names as readonly string[])],
    });
  }

  /** Makes all instances of a job run their items once, now; with `items`, only these items. */
  @Post(':job/trigger')
  @HttpCode(200)
  @Permit('operate')
  trigger(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Body() body: TriggerRequest,
  ): Promise<TriggerAnswer> {
    return this.actions.trigger(action, job, triggerOf(body, itemsOf(body)));
  }

  /** Enables a job on a server, or on all of its servers. */
  @Post(':job/enable')
  @HttpCode(204)
  @Permit('operate')
  enable(@Acting() action: ConsoleAction, @Param('job') job: string, @Body() body: ServerAction): Promise<void> {
    return this.actions.enable(action, targetOf(job, body));
  }

  /**
   * Disables a job on a server, or on all of its servers, until it is enabled, or a restart with the settings
   * `overwrite` or `disabled` changes that.
   */
  @Post(':job/disable')
  @HttpCode(204)
  @Permit('operate')
  disable(@Acting() action: ConsoleAction, @Param('job') job: string, @Body() body: ServerAction): Promise<void> {
    return this.actions.disable(action, targetOf(job, body));
  }

  /** Ends a job on the instances of a server, or on all, until their applications are started again. */
  @Post(':job/shutdown')
  @HttpCode(204)
  @Permit('operate')
  shutdown(@Acting() action: ConsoleAction, @Param('job') job: string, @Body() body: ServerAction): Promise<void> {
    return this.actions.shutdown(action, targetOf(job, body));
  }

  /** Ends one instance of a job. */
  @Post(':job/instances/:instance/shutdown')
  @HttpCode(204)
  @Permit('operate')
  shutdownInstance(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Param('instance') instance: string,
    @Body() _body: Reasoned,
  ): Promise<void> {
    return this.actions.shutdownInstance(action, job, instance);
  }

  /** Runs one item of a job again now. */
  @Post(':job/shards/:item/rerun')
  @HttpCode(200)
  @Permit('operate')
  rerunItem(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Param('item') item: string,
    @Body() body: TriggerRequest,
  ): Promise<TriggerAnswer> {
    return this.actions.trigger(action, job, triggerOf(body, [itemOf(item)]));
  }

  /** Lets an item fire again. */
  @Post(':job/shards/:item/enable')
  @HttpCode(204)
  @Permit('operate')
  enableItem(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Param('item') item: string,
    @Body() _body: Reasoned,
  ): Promise<void> {
    return this.actions.setItem(action, job, itemOf(item), 'enable');
  }

  /** Excludes an item from the firings of its job until it is enabled. */
  @Post(':job/shards/:item/disable')
  @HttpCode(204)
  @Permit('operate')
  disableItem(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Param('item') item: string,
    @Body() _body: Reasoned,
  ): Promise<void> {
    return this.actions.setItem(action, job, itemOf(item), 'disable');
  }

  /**
   * Removes all nodes of a job from the registry centre. `confirm` repeats its name. A job with living instances is
   * refused, unless `living` is true, which ends them first.
   */
  @Delete(':job')
  @HttpCode(200)
  @Permit('write')
  remove(
    @Acting() action: ConsoleAction,
    @Param('job') job: string,
    @Body() body: RemoveRequest,
    @Query() query: QueryOf<'confirm' | 'living'>,
  ): Promise<{ readonly stillRunning: readonly string[] }> {
    const byQuery = readQuery(query, { confirm: queryText, living: optional(oneOf('true', 'false')) });
    const { confirm = byQuery.confirm, living = byQuery.living === 'true' } = readFields(bodyOf(body), REMOVE);
    if (confirm !== job)
      throw new ConsoleProblem(422, 'not-confirmed', `Job '${job}' was not removed: confirm must repeat its name.`);
    return this.actions.removeJob(action, job, { living });
  }
}

function targetOf(jobName: string, body: unknown): ActionTarget {
  return { jobName, serverIp: readFields(bodyOf(body), { server: anyText }).server };
}

function itemOf(text: string): number {
  return readQuery({ item: text }, { item: integer(0, 2_147_483_647) }).item;
}

function triggerOf(body: TriggerRequest, items: readonly number[] | undefined): TriggerRequest {
  const { parameter } = readFields(bodyOf(body), { parameter: anyText });
  return { ...(parameter !== undefined && { parameter }), ...(items !== undefined && { items }) };
}

function itemsOf(body: TriggerRequest): readonly number[] | undefined {
  const { items } = bodyOf<TriggerRequest>(body);
  if (items === undefined || items === null) return undefined;
  const problem = triggerItemsProblem(items);
  if (problem !== undefined) throw badField('items', problem);
  return items;
}
