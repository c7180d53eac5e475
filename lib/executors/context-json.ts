import { type ShardingContext } from '../api/job/sharding-context.js';

/**
 * A sharding context as the JSON text that Java's ElasticJob gives to scripts: these six fields in this order, those
 * without a value left out, and the characters escaped that Java's Gson escapes.
 */
export function contextJson(context: ShardingContext): string {
  const { jobName, taskId, shardingTotalCount, jobParameter, shardingItem, shardingParameter } = context;
  const json = JSON.stringify({
    jobName,
    taskId,
    shardingTotalCount,
    jobParameter,
    shardingItem,
    shardingParameter,
  });
  return escaped(json, /[<>&='\u2028\u2029]/g);
}

/** The same JSON in printable ASCII only, as a header of HTTP must be; it decodes to the same texts. */
export function asciiContextJson(context: ShardingContext): string {
  return escaped(contextJson(context), /[^\x20-\x7e]/g);
}

/** The same JSON without the characters that `pattern` matches; outside its strings, JSON has none of those. */
export function escaped(json: string, pattern: RegExp): string {
  return json.replace(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
