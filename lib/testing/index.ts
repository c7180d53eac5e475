/**
 * The public API of `nestjs-elasticjob/testing`. Anything that is not exported here may change with any version.
 */
export { TestCluster } from './test-cluster.js';
export { type OtherTestJob, type TestClusterOptions, type TestJob } from './test-cluster-options.js';
export { type Member } from './member.js';
export { type Run, type RunOutcome, type TestRound, type Work } from './runs.js';
export { type RoundOutcome } from '../layout/x-node/round-record.js';
export { type ClusterEvent, type ClusterHappening, tellEvent } from './events.js';
export { ManualClock, settle } from './manual-clock.js';
export { type Duration } from './durations.js';
export { type JobView } from '../layout/job-view.js';
export { type Deliver, type Delivery } from '../registry/embedded/delivery.js';
export { registryCenterContract, type ContractOptions } from './contract/registry-center-contract.js';
export { type ContractRunner } from './contract/runner.js';
export { type ContractOpenOptions, type ContractServer } from './contract/stage.js';
