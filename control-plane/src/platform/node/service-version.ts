import { fileURLToPath } from 'node:url';
import { productVersion } from '@switchyard/shared/product-version';

/** The checkout or installed package this process runs from. */
export const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** Version of the service, with the commit that it was built from. */
export const serviceVersion = productVersion;
