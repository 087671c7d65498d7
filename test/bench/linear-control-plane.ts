import { type FakeLinear, startFakeLinear } from '../support/linear/fake-linear.ts';
import { type ControlPlaneProcess, startControlPlaneProcess } from './control-plane-process.ts';

const SECRET = 'bench-webhook-secret';
const NEVER_MS = '3600000';

export type LinearControlPlane = {
  controlPlane: ControlPlaneProcess;
  linear: FakeLinear;
  /** With which deliveries are signed. */
  secret: string;
  close(): Promise<void>;
};

/** A control plane whose tracker is a Linear of this process, asked only when a delivery says so. */
export async function startLinearControlPlane(): Promise<LinearControlPlane> {
  const linear = await startFakeLinear();
  // What is measured is this service, not how long Linear's hour lasts.
  Object.assign(linear.allowance.limits, { pointsPerHour: 1e9, requestsPerHour: 1e9 });
  try {
    const route = { prefix: 'ENG', url: 'file:///srv/repositories/bench', default_branch: 'main' };
    const controlPlane = await startControlPlaneProcess({
      SERVICE_CONFIG__tracker__kind: 'linear',
      SERVICE_CONFIG__tracker__linear__endpoint: linear.endpoint,
      SERVICE_CONFIG__tracker__linear__apiKey: linear.apiKey,
      SERVICE_CONFIG__webhook__webhookSecret: SECRET,
      SERVICE_CONFIG__webhook__pollingStretchMs: NEVER_MS,
      SERVICE_CONFIG__polling__intervalMs: NEVER_MS,
      SERVICE_CONFIG__limits__webhooksPerMinute: '1000000',
      SERVICE_CONFIG__repos: JSON.stringify([route]),
    });
    const close = async () => {
      await controlPlane.stop();
      await linear.close();
    };
    return { controlPlane, linear, secret: SECRET, close };
  } catch (error) {
    await linear.close();
    throw error;
  }
}
