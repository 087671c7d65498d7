/** Repositories that the operator names as submodules of one repository. */
export const MAX_NAMED_SUBMODULES = 50;
