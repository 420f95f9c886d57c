"""What a review and its model say, as plain JSON values."""
