import { createHmac } from 'node:crypto';
import type { StartHmac } from '../../../ports/ports.ts';

export const startHmac: StartHmac = (secret) => {
  const hmac = createHmac('sha256', secret);
  return { update: (bytes) => void hmac.update(bytes), hex: () => hmac.digest('hex') };
};
