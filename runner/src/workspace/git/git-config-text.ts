/**
 * The only configuration that host git reads. `safe.directory` is `*` because mirrors may belong
 * to another user, and host git never enters a folder an agent can write. "file" is no protocol
 * here: only a command that was given a repository in an allowed folder speaks it.
 * Old history of public repositories trips over a few harmless checks: those only warn.
 * Refs are files, whatever a newer git would choose: locks that were left are found by their names.
 * Locks of refs are waited for: several of our own git may work in one mirror.
 * A fetch runs no gc: it holds the mirror's lock, and gc could delete objects that workspaces borrow.
 * One thread and small caches: what git takes must stay below what it is given.
 */
export const gitConfigText = `[safe]
	directory = *
[core]
	hooksPath = /dev/null
	fsmonitor = false
	askPass =
	logAllRefUpdates = false
	bigFileThreshold = 64m
	packedGitLimit = 1g
	packedGitWindowSize = 64m
	deltaBaseCacheLimit = 96m
	maxTreeDepth = 256
	filesRefLockTimeout = 2000
	packedRefsTimeout = 3000
[pack]
	threads = 1
	windowMemory = 256m
	deltaCacheSize = 64m
[index]
	threads = 1
[diff]
	renameLimit = 1000
[merge]
	renameLimit = 2000
[init]
	defaultBranch = main
	templateDir =
	defaultRefFormat = files
[protocol]
	allow = never
[protocol "https"]
	allow = always
[protocol "ssh"]
	allow = always
[http]
	lowSpeedLimit = 1000
	lowSpeedTime = 60
[credential]
	helper =
[transfer]
	fsckObjects = true
[fetch]
	fsckObjects = true
	unpackLimit = 1
	recurseSubmodules = no
[fetch "fsck"]
	zeroPaddedFilemode = warn
	badTimezone = warn
	missingSpaceBeforeDate = warn
	missingNameBeforeEmail = warn
	missingSpaceBeforeEmail = warn
	gitmodulesParse = warn
[receive]
	fsckObjects = true
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[gpg]
	format = ssh
[commit]
	gpgSign = false
[push]
	gpgSign = false
[advice]
	detachedHead = false
	addEmbeddedRepo = false
`;
