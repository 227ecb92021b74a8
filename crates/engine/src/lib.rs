//! Tensors, a tape and about twenty operators, made for message passing on sparse graphs.
