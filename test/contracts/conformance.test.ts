import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { startBench } from '../support/e2e/start-bench.ts';
import { describeConformance } from './conformance/describe-conformance.ts';

describeConformance('node', async () => {
  const bench = await startBench({ script: fixFailingTest() });
  return { client: bench.client, close: () => bench.close() };
});
