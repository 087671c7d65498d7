import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { describeConformance } from '../contracts/conformance/describe-conformance.ts';
import { startEdgeBench } from '../support/workerd/start-edge-bench.ts';

describeConformance('workers', async () => {
  const bench = await startEdgeBench({ script: fixFailingTest() });
  return {
    client: bench.client,
    token: bench.edge.writeToken,
    close: () => bench.close(),
  };
});
