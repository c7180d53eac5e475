export { until } from '../../lib/testing/contract/until.js';
