//! Calls to the daemon as data, so that what decides about them does not make them.

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{
    ArchiveSession, Cancel, Compact, CreateSession, FindFiles, GetContext, GetEvents, GetStatus,
    ListModels, ListQuestions, ListSessions, Method, RespondPermission, Rewind, RewriteQueue,
    UpdateSession,
};

macro_rules! calls {
    (with_params { $($kept:ident),* $(,)? } alone { $($method:ident),* $(,)? }) => {
        /// A call to the daemon that can be repeated.
        #[derive(Debug, Clone)]
        pub(crate) enum Call {
            $($kept(Box<<$kept as Method>::Params>),)*
            $($method(Box<<$method as Method>::Params>),)*
        }

        /// The outcome of a call, with its parameters where these tell what it was about.
        #[derive(Debug)]
        pub(crate) enum Answer {
            $($kept(
                Box<<$kept as Method>::Params>,
                Result<Box<<$kept as Method>::Result>, ClientError>,
            ),)*
            $($method(Result<Box<<$method as Method>::Result>, ClientError>),)*
        }

        impl Call {
            /// Makes the call.
            pub(crate) async fn make<C: Connect>(self, caller: &Caller<C>) -> Answer {
                match self {
                    $(Self::$kept(params) => {
                        let answer = caller.call::<$kept>(&params).await;
                        Answer::$kept(params, answer.map(Box::new))
                    })*
                    $(Self::$method(params) => {
                        let answer = caller.call::<$method>(&params).await;
                        Answer::$method(answer.map(Box::new))
                    })*
                }
            }
        }
    };
}

calls! {
    with_params { FindFiles, GetContext, ListSessions, RespondPermission, RewriteQueue }
    alone {
        ArchiveSession, Cancel, Compact, CreateSession, GetEvents, GetStatus, ListModels, ListQuestions, Rewind,
        UpdateSession,
    }
}
