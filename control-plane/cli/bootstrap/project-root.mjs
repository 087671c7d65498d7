import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout, whatever folder the command was called from. */
export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(
  /[\\/]$/,
  '',
);
