import { fileURLToPath } from 'node:url';
import { productVersion } from '@switchyard/shared/product-version';

/** The checkout or installed package from which this process runs. */
export const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** The service's version with its build commit. */
export const serviceVersion = productVersion;
