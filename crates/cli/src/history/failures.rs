//! What goes wrong with a history, with the code that says whose fault it is.

use perflab_history::{
    BuildError, CampaignError, DetailsError, DirectoryError, GitError, ListError, SearchRangeError,
    TimelineError,
};

use crate::failure::{Code, Failure, is_disk_full};

/// The user's file, or names in it.
impl From<TimelineError> for Failure {
    fn from(error: TimelineError) -> Self {
        match error {
            TimelineError::Git(error) => error.into(),
            error => Self::usage(error),
        }
    }
}

/// The user's list of versions.
impl From<ListError> for Failure {
    fn from(error: ListError) -> Self {
        Self::usage(error)
    }
}

/// A name is the user's fault, a program that is missing the machine's.
impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        let code = match &error {
            GitError::Start(_) => Code::Environment,
            GitError::Unexpected { .. } => Code::NoData,
            GitError::Missing(_) | GitError::Failed { .. } | GitError::NoCommit { .. } => {
                Code::Usage
            }
        };
        Self::new(code, error)
    }
}

/// The user's experiment.
impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        Self::usage(error)
    }
}

/// A name of the user.
impl From<DetailsError> for Failure {
    fn from(error: DetailsError) -> Self {
        match error {
            DetailsError::Git(error) => error.into(),
            error => Self::usage(error),
        }
    }
}

/// The ends of a search are the user's.
impl From<SearchRangeError> for Failure {
    fn from(error: SearchRangeError) -> Self {
        match error {
            SearchRangeError::Git(error) => error.into(),
            SearchRangeError::Timeline(error) => error.into(),
            error => Self::usage(error),
        }
    }
}

/// Values that no statistic can be made of.
impl From<perflab_stats::Error> for Failure {
    fn from(error: perflab_stats::Error) -> Self {
        Self::no_data(error)
    }
}

/// What ends the work on builds.
impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Git(error) => error.into(),
            BuildError::Store(error) => error.into(),
            BuildError::Io { ref source, .. } if is_disk_full(source) => Self::disk_full(error),
            BuildError::Interrupted => Self::new(Code::Interrupted, error),
            BuildError::Template(_) | BuildError::Path(_) => Self::usage(error),
            BuildError::Needed { .. } => Self::environment(error),
            BuildError::Io { .. } | BuildError::Journal(_) => Self::no_data(error),
        }
    }
}

/// The directory of a history.
impl From<DirectoryError> for Failure {
    fn from(error: DirectoryError) -> Self {
        match error {
            DirectoryError::Store(error) => error.into(),
            DirectoryError::NotEmpty(_)
            | DirectoryError::None(_)
            | DirectoryError::Another { .. } => Self::usage(error),
            DirectoryError::Lock(_) => Self::environment(error),
            DirectoryError::Io { ref source, .. } if is_disk_full(source) => Self::disk_full(error),
            DirectoryError::Io { .. } | DirectoryError::Journal(_) | DirectoryError::File(_) => {
                Self::no_data(error)
            }
        }
    }
}
