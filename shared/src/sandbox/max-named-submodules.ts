/** Maximum number of submodule repositories that the operator may name for one repository. */
export const MAX_NAMED_SUBMODULES = 50;
