//! The macro that declares each call for the async and the blocking client.

/// Declares calls: for each, a method of [`Client`], and with the feature `blocking` the method of
/// [`blocking::Client`](crate::blocking::Client) that waits for its result.
macro_rules! calls {
    ($(
        $(#[$attribute:meta])*
        pub fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) -> Call<$output:ty> $body:block
    )*) => {
        impl crate::client::Client {
            $(
                $(#[$attribute])*
                pub fn $name(&$self $(, $argument: $type)*) -> Call<$output> $body
            )*
        }

        #[cfg(feature = "blocking")]
        impl crate::blocking::Client {
            $(
                #[doc = concat!(
                    "Sends [`", stringify!($name), "`](crate::Client::", stringify!($name),
                    ") and waits for its result."
                )]
                ///
                /// # Errors
                ///
                /// See [`ErrorKind`](crate::ErrorKind).
                ///
                /// # Panics
                ///
                /// Panics in an async runtime.
                pub fn $name(&self, $($argument: $type),*) -> Result<$output, crate::error::Error> {
                    self.wait(self.as_async().$name($($argument),*))
                }
            )*
        }
    };
}

pub(crate) use calls;
