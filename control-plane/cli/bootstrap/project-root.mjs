import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout, independent of the working directory. */
export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(
  /[\\/]$/,
  '',
);
