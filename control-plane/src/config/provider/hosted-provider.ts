import { HOSTED_PROVIDERS } from '@switchyard/shared/model-providers/hosted-providers';

/** The default provider, for which list prices are known. */
export const HOSTED_PROVIDER = HOSTED_PROVIDERS.responses.baseUrl;
