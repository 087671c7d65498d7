/**
 * The only configuration for git on the host. `safe.directory` is `*` because mirrors may belong to
 * another user, and host git never enters a folder that an agent can write. The protocol "file" is
 * off: only commands for repositories in allowed folders use it. A few harmless object checks only
 * warn, because old public history violates them. Refs are files in any git version, so that
 * abandoned locks are found by name. Locks of refs are awaited, because several git processes may
 * use one mirror. A fetch runs no gc: it holds the mirror's lock, and gc could delete borrowed
 * objects. One thread and small caches keep git below its memory limit.
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
