"""What can go wrong, in kinds of our own."""


class RussetError(Exception):
    """Anything that russet itself refuses."""


class SettingsError(RussetError, ValueError):
    """A parameter out of its range, or one that would have no effect beside the others."""


class DataError(RussetError, ValueError):
    """Data that cannot be read, or not be learned from."""


class ModelError(RussetError, ValueError):
    """A file or bytes that are not a model, or a model that cannot be used now."""
