import { HOSTED_PROVIDERS } from '@switchyard/shared/model-providers/hosted-providers';

/** The provider that settings name when they name none: its prices are listed. */
export const HOSTED_PROVIDER = HOSTED_PROVIDERS.responses.baseUrl;
